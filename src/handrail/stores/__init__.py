"""Where passages live: vectors in Chroma, and a snapshot on disk for keyword search and reading."""
