"""What lies on disk: names, schemas and bytes. Writers and readers meet here only."""
