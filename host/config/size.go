package config

import (
	"math"
	"strconv"
	"strings"
)

const (
	kilobyte = 1000
	megabyte = 1000 * kilobyte
	gigabyte = 1000 * megabyte
	kibibyte = 1024
	mebibyte = 1024 * kibibyte
	gibibyte = 1024 * mebibyte
)

// parseSize reads a whole number with a unit, such as "500 MB".
func parseSize(text string) (bytes int64, ok bool) {
	digits := strings.TrimRight(text, "BGKMi")
	n, err := strconv.ParseUint(strings.TrimSuffix(digits, " "), 10, 63)
	if err != nil {
		return 0, false
	}
	unit := unitOf(text[len(digits):])
	if unit == 0 || int64(n) > math.MaxInt64/unit {
		return 0, false
	}
	return int64(n) * unit, true
}

// unitOf returns the value of a unit, or 0.
func unitOf(name string) int64 {
	switch name {
	case "KB":
		return kilobyte
	case "MB":
		return megabyte
	case "GB":
		return gigabyte
	case "KiB":
		return kibibyte
	case "MiB":
		return mebibyte
	case "GiB":
		return gibibyte
	}
	return 0
}

// sizeText formats a bound as a whole number of some unit.
func sizeText(bytes int64) string {
	if bytes%gigabyte == 0 {
		return strconv.FormatInt(bytes/gigabyte, 10) + "GB"
	}
	return strconv.FormatInt(bytes/megabyte, 10) + "MB"
}
