"""Sources: files → lines → values → rendered text."""
