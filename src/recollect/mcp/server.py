"""The server, on the low-level server of the official SDK: its schemas and error texts are ours, for all hosts.

This is the edge where errors become answers: what a model can mend is a tool result marked as an error, what only a
program can mend is an error of the protocol. Only names and times are logged.
"""

import logging
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar

import mcp_types as sdk
from anyio import create_task_group, sleep, to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from recollect._version import __version__
from recollect.errors import AccessDenied, InvalidInput, NotFound, QuotaExceeded, RecollectError, StoreError
from recollect.mcp import prompts, resources
from recollect.mcp.permissions import REQUIRED_PERMISSIONS, Caller, check_permissions
from recollect.mcp.tools import FEDERATED, TOOLS, Tool

if TYPE_CHECKING:
    from recollect.mcp.dispatch import Dispatcher  # imports the databases, for which listing the tools need not wait

McpContext: TypeAlias = ServerRequestContext[Any, Any]
FindCaller: TypeAlias = Callable[[McpContext], Caller]
T = TypeVar("T")

LOG: Final = logging.getLogger("recollect.mcp")
_CALLER_ERRORS = (AccessDenied, InvalidInput, NotFound, QuotaExceeded)
_UNAVAILABLE = "The memory cannot be reached right now. Go on without it, and try again later."
_PROGRESS_S: Final = 1.0
_BROKEN = "Something went wrong in the memory; the call was in order. Go on without it."


class RunWork(Protocol):
    """Runs the work of a request in a thread."""

    async def __call__(self, ctx: McpContext, work: Callable[[], T], /) -> T:
        """Run it."""


async def _run_at_once(_: McpContext, work: Callable[[], T], /) -> T:
    return await to_thread.run_sync(work)


def create_server(
    dispatcher: "Callable[[], Dispatcher]",
    caller: FindCaller,
    run: RunWork = _run_at_once,
    *,
    federated: Callable[[], bool] = lambda: False,
) -> Server[dict[str, Any]]:
    """Make the server. `dispatcher` runs calls, and `caller` identifies the caller of a request; both may block.

    `run` runs their work in a thread, at once unless it is told otherwise. `federated` says whether there are other
    services to search: without any, no model is offered to.

    Raises LookupError when something on offer is not in the table of permissions.
    """
    check_permissions((*TOOLS, *(resource.uri for resource in resources.RESOURCES), prompts.NAME))
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # what the SDK logs may quote what was said
    handlers = _RequestHandlers(dispatcher, caller, run, federated)
    server: Server[dict[str, Any]] = Server(
        "recollect",
        version=__version__,
        title="Recollect",
        description="Long-term memory for AI agents",
        instructions=prompts.INSTRUCTIONS,
        get_tool_input_schema=lambda name: dict(TOOLS[name].takes) if name in TOOLS else None,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )
    server.middleware.clear()  # the SDK's own traces would quote what an error says
    return server


class _RequestHandlers:
    """Handlers of the protocol's requests. The work is done in a thread."""

    def __init__(
        self, dispatcher: "Callable[[], Dispatcher]", caller: FindCaller, run: RunWork, federated: Callable[[], bool]
    ) -> None:
        self._dispatcher = dispatcher
        self._caller = caller
        self._run = run
        self._federated = federated

    async def list_tools(self, ctx: McpContext, _: object) -> sdk.ListToolsResult:
        """List the tools that the caller may use."""
        may = await self._permitted(ctx)
        hidden = () if self._federated() else (FEDERATED,)
        listed = [_offered(tool) for tool in TOOLS.values() if may(tool.name) and tool.name not in hidden]
        return sdk.ListToolsResult(tools=listed)

    async def call_tool(self, ctx: McpContext, params: sdk.CallToolRequestParams) -> sdk.CallToolResult:
        """Run a tool."""
        name = params.name
        if name not in TOOLS:
            raise MCPError(sdk.INVALID_PARAMS, f"There is no tool {name[:60]!r}. Tools are: {', '.join(TOOLS)}.")
        try:
            answer = await self._in_thread(
                ctx, name, lambda: self._dispatcher().tool(self._caller(ctx), name, params.arguments or {})
            )
        except MCPError as error:
            return sdk.CallToolResult(content=[sdk.TextContent(text=error.message)], is_error=True)
        return sdk.CallToolResult(content=[sdk.TextContent(text=answer.text)], structured_content=answer.details)

    async def list_resources(self, ctx: McpContext, _: object) -> sdk.ListResourcesResult:
        """List the resources that the caller may read."""
        may = await self._permitted(ctx)
        listed = [
            sdk.Resource(uri=one.uri, name=one.name, description=one.description, mime_type=one.mime_type)
            for one in resources.RESOURCES
            if not one.is_template and may(one.uri)
        ]
        return sdk.ListResourcesResult(resources=listed)

    async def list_templates(self, ctx: McpContext, _: object) -> sdk.ListResourceTemplatesResult:
        """List the resource templates that the caller may read."""
        may = await self._permitted(ctx)
        listed = [
            sdk.ResourceTemplate(
                uri_template=one.uri, name=one.name, description=one.description, mime_type=one.mime_type
            )
            for one in resources.RESOURCES
            if one.is_template and may(one.uri)
        ]
        return sdk.ListResourceTemplatesResult(resource_templates=listed)

    async def read_resource(self, ctx: McpContext, params: sdk.ReadResourceRequestParams) -> sdk.ReadResourceResult:
        """Read a resource."""
        resource, text = await self._in_thread(
            ctx, "resources/read", lambda: self._dispatcher().resource(self._caller(ctx), params.uri)
        )
        contents = sdk.TextResourceContents(uri=params.uri, mime_type=resource.mime_type, text=text)
        return sdk.ReadResourceResult(contents=[contents])

    async def list_prompts(self, ctx: McpContext, _: object) -> sdk.ListPromptsResult:
        """List the prompt."""
        may = await self._permitted(ctx)
        argument = sdk.PromptArgument(name="question", description=prompts.QUESTION, required=False)
        prompt = sdk.Prompt(
            name=prompts.NAME, title=prompts.TITLE, description=prompts.DESCRIPTION, arguments=[argument]
        )
        return sdk.ListPromptsResult(prompts=[prompt] if may(prompts.NAME) else [])

    async def get_prompt(self, ctx: McpContext, params: sdk.GetPromptRequestParams) -> sdk.GetPromptResult:
        """Give the prompt."""
        text = await self._in_thread(
            ctx,
            "prompts/get",
            lambda: self._dispatcher().prompt(self._caller(ctx), params.name, params.arguments or {}),
        )
        content = sdk.TextContent(text=text)
        return sdk.GetPromptResult(
            description=prompts.DESCRIPTION, messages=[sdk.PromptMessage(role="user", content=content)]
        )

    async def _permitted(self, ctx: McpContext) -> Callable[[str], bool]:
        """Give the check of what the caller may use: a model is not offered what it is not allowed to do."""
        caller = await self._in_thread(ctx, "list", lambda: self._caller(ctx))
        return lambda name: caller.principal.may(REQUIRED_PERMISSIONS[name])

    async def _in_thread(self, ctx: McpContext, name: str, work: Callable[[], T]) -> T:
        """Work in a thread, so that other requests are read meanwhile. Every error becomes an MCPError."""
        started = perf_counter()
        outcome = "ok"
        try:
            return await _with_progress(ctx, self._run(ctx, work))
        except _CALLER_ERRORS as error:
            outcome = type(error).__name__
            raise MCPError(sdk.INVALID_PARAMS, str(error)) from None
        except RecollectError as error:
            outcome = type(error).__name__
            raise MCPError(sdk.INTERNAL_ERROR, _UNAVAILABLE if isinstance(error, StoreError) else _BROKEN) from None
        except Exception as error:  # noqa: BLE001 - the MCP edge
            outcome = type(error).__name__
            LOG.error("%s failed: %s", name, outcome)  # noqa: TRY400 - the trace would quote what was said
            raise MCPError(sdk.INTERNAL_ERROR, _BROKEN) from None
        finally:
            LOG.info("%s %s %.0f ms", name, outcome, (perf_counter() - started) * 1_000)


async def _with_progress(ctx: McpContext, work: Awaitable[T]) -> T:
    """Await work; to a client that asked for progress, say each second how long it has taken, so that it waits on."""
    failure: Exception | None = None
    async with create_task_group() as tasks:
        tasks.start_soon(_report_progress, ctx)
        try:
            result = await work
        except Exception as error:  # noqa: BLE001 - raised again, outside of the group, which would wrap it
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return result


async def _report_progress(ctx: McpContext) -> None:
    started = perf_counter()
    while True:
        await sleep(_PROGRESS_S)
        await ctx.session.report_progress(round(perf_counter() - started, 3), message="The memory is at work.")


def _offered(tool: Tool) -> sdk.Tool:
    hints = tool.hints
    return sdk.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.takes),
        output_schema=dict(tool.gives),
        annotations=sdk.ToolAnnotations(
            title=tool.title,
            read_only_hint=hints.reads_only,
            destructive_hint=hints.destroys,
            idempotent_hint=hints.repeatable,
            open_world_hint=hints.open_world,
        ),
    )
