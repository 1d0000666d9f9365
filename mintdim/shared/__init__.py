"""Common ground: errors and their texts, paths, the shared-or-mapped rule, files, log, progress.

Imports the standard library only (``progress`` opens tqdm when a bar is really drawn).
"""
