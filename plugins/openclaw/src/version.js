/** The version of this plugin, which is that of the service it was made for. */
export const VERSION = "0.1.0";
