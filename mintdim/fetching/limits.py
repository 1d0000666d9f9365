"""How long, how often and how much: every limit of a fetch. ``mintdim fetch --help`` names them."""

TRIES = 4  # per file
BACK_OFF = 1.0  # seconds before the second try; doubled before each further one
SILENCE = 30.0  # seconds in which a connection must stand, and every read must bring something
ANSWER = 60.0  # seconds until the head of an answer is complete
PACE_SECONDS = 60.0  # after every such span, at least PACE_BYTES must have come
PACE_BYTES = 60 * 1024
REDIRECTS = 5  # per request
UNREACHABLE = 3  # files in a row; then the server is given up, the other files are not tried

BLOCK_BYTES = 2**20  # read at once
INDEX_BYTES = 64 * 2**20  # largest index or manifest that is read
METADATA_BYTES = 2**20  # largest .bin.json
