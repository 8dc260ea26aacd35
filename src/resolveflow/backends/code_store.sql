-- What is known of files (many files a row), graphs of trees, answers as given: a cache.
CREATE TABLE pack (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    crc INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE tree (
    commit_id TEXT PRIMARY KEY,
    crc INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE tree_use (
    commit_id TEXT PRIMARY KEY,
    used REAL NOT NULL
);
CREATE TABLE answer (
    commit_id TEXT NOT NULL,
    question TEXT NOT NULL,
    crc INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (commit_id, question)
);
