"""The console commands: parse, call, print; no rule of their own."""
