package artifact

// Bounds in bytes. Real files are far smaller: the largest artifact of Uniswap v4 has 2
// MB, the index of a project with 1,000 files 3 MB.
const (
	maxIndex     = 64 << 20
	maxArtifact  = 50 << 20
	maxBuildInfo = 64 << 20
	maxSource    = 10 << 20
	// maxCode is the longest code that is parsed. The chain allows 24 KiB; tests may be
	// larger.
	maxCode = 4 << 20
	// maxTotal is how much is read of one project in total.
	maxTotal = 4 << 30
	// maxBuilds is how many build-info files are kept in memory.
	maxBuilds = 256
)
