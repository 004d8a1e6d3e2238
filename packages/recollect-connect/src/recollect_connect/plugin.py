"""What this package adds to Recollect, as tables that `recollect.plugins` reads: nothing is imported here."""

commands = {
    "e5": "recollect_connect.cli.e5",
    "search --nodes": "recollect_connect.cli.federation:search_nodes",
}
routes = {"federation": "recollect_connect.doors.federation_route:router"}
tools = {"search_federated": "recollect_connect.doors.federation_tool:search_federated"}
