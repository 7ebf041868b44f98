package cheats_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/internal/cheats"
)

// decodeHex decodes a program of hexadecimal digits; spaces do not count.
func decodeHex(t *testing.T, digits string) []byte {
	t.Helper()
	c, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestACallOfACheatCodeIsFoundHoweverItsSelectorIsWritten(t *testing.T) {
	for name, digits := range map[string]string{
		"pushed":               "6000 63 60f9bb11 6000 52",
		"shifted to the left":  "6000 7f 60f9bb11 00000000000000000000000000000000000000000000000000000000",
		"within data":          "fe 01 02 60f9bb11 03",
		"at the very end":      "fe 60f9bb11",
		"of another contract":  "39 5b 00 63 60f9bb11",
		"not at the beginning": "63 00000000 63 60f9bb11",
	} {
		got := cheats.NewBook().Beyond(decodeHex(t, digits))
		if want := []string{"reads or writes files: readFile(string)"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The optimizer writes a constant that ends in zero bits as a shorter number, which it
// shifts further.
func TestASelectorThatTheOptimizerShortenedIsFound(t *testing.T) {
	for signature, digits := range map[string]string{
		"deployCode(string)":    "63 04d4192d 60 e5 1b", // 0x9a8325a0
		"envInt(string,string)": "63 04218115 60 e4 1b", // 0x42181150
	} {
		if got := cheats.NewBook().Beyond(decodeHex(t, digits)); len(got) != 1 || !strings.HasSuffix(got[0], ": "+signature) {
			t.Errorf("%s: %q", signature, got)
		}
	}
	book := cheats.NewBook()
	book.Learn([]string{"warp(uint256)", "Error(string)"}) // 0x08c379a0
	if got := book.Beyond(decodeHex(t, "62 461bcd 60 e5 1b 6000 52")); len(got) != 1 || !strings.Contains(got[0], "Error(string)") {
		t.Errorf("%q", got)
	}
}

func TestCheatCodesThatStayWithinTheTestAreNotReported(t *testing.T) {
	for name, digits := range map[string]string{
		"nothing":       "",
		"short":         "60f9bb",
		"warp":          "63 e5d6bf02",
		"another order": "63 11bbf960",
		"zeros":         "61 0000 62 000000 63 00000000",
		"a push cut":    "6000 63",
	} {
		if got := cheats.NewBook().Beyond(decodeHex(t, digits)); len(got) != 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestUnknownCheatCodesAreLearnedFromTheirDeclarations(t *testing.T) {
	call := decodeHex(t, "63 a9059cbb") // transfer(address,uint256)
	book := cheats.NewBook()
	if book.Learn([]string{"transfer(address,uint256)", "balanceOf(address)"}) || len(book.Beyond(call)) != 0 {
		t.Error("the functions of a token are taken for cheat codes")
	}
	if !book.Learn([]string{"warp(uint256)", "transfer(address,uint256)"}) {
		t.Error("nothing was learned")
	}
	if got := book.Beyond(call); !slices.Equal(got, []string{"calls a cheat code that is not known here: transfer(address,uint256)"}) {
		t.Errorf("%q", got)
	}
	if book.Learn([]string{"warp(uint256)", "transfer(address,uint256)", "prank(address)"}) {
		t.Error("the same was learned twice")
	}
}

func TestEveryWayToReachBeyondIsNamed(t *testing.T) {
	for signature, digits := range map[string]string{
		"ffi(string[])":                "89160467",
		"getCode(string)":              "8d1cc925",
		"deployCode(string)":           "9a8325a0",
		"envOr(string,bool)":           "4777f3cf",
		"createSelectFork(string)":     "98680034",
		"prompt(string)":               "47eaf474",
		"writeFile(string,string)":     "897e0a97",
		"parseJsonType(string,string)": "a9da313b",
	} {
		if got := cheats.NewBook().Beyond(decodeHex(t, "63"+digits)); len(got) != 1 || !strings.HasSuffix(got[0], ": "+signature) {
			t.Errorf("%s: %q", signature, got)
		}
	}
}
