"""Commands: parse, call, print; no rule of their own."""
