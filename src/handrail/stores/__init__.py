"""Where passages live: vectors in a store, and a snapshot on disk for keyword search and reading."""
