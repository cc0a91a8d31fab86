"""A small MCP server over stdio, for `mcp_tool.py`: a separate process that knows the tides."""

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:  # the package before its second version
    from mcp.server.fastmcp import FastMCP as MCPServer

server = MCPServer("tides")
HIGH_WATER = {"Belmark": "06:40", "Vellin": "09:15"}


@server.tool()
def high_water(port: str) -> str:
    """Tell when it is high water at a port."""
    return f"High water at {port} is at {HIGH_WATER[port]}."


if __name__ == "__main__":
    server.run("stdio")
