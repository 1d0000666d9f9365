"""Source: files → chunks → lines → declared values → rendered text."""
