// Package wholefile writes files completely or not at all.
package wholefile
