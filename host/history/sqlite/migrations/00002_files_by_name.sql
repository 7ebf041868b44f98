-- Files by their last element, to find those that a short name could mean too.
CREATE INDEX tests_by_file_name ON tests (workspace, substr(file, length(rtrim(file, replace(file, '/', ''))) + 1), file) WHERE file <> '';
