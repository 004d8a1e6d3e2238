"""What this package adds to Recollect, as tables that `recollect.plugins` reads: nothing is imported here."""

commands = {
    "e5": "recollect_connect.cli.e5",
    "hosts": "recollect_connect.cli.hosts",
    "openclaw": "recollect_connect.cli.openclaw",
    "slack": "recollect_connect.cli.slack",
    "search --nodes": "recollect_connect.cli.federation:search_nodes",
}
programs = {"hook": "recollect_connect.hook_client.main:run"}
adapters = {"hook spool": "recollect_connect.hosts.connection_file"}
readers = {
    "exports of other systems": "recollect_connect.importing:import_file",
    "transcripts": "recollect_connect.hook_client.transcripts",
}
routes = {"federation": "recollect_connect.doors.federation_route:router"}
tools = {"search_federated": "recollect_connect.doors.federation_tool:search_federated"}
