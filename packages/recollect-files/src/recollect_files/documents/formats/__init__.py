"""One reader per format, each from bytes to what was found. They run in a child, which loads one of them."""
