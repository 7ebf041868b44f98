package pragma_test

import (
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/internal/pragma"
)

func TestTheLatestCompilerThatAllSourcesAcceptIsChosen(t *testing.T) {
	installed := []string{"0.4.26", "0.7.6", "0.8.4", "0.8.19", "0.8.30", "0.9.0", "nightly"}
	for _, test := range []struct{ pragmas, want string }{
		{"", "0.9.0"},
		{"pragma solidity ^0.8.0;", "0.8.30"},
		{"pragma solidity ^0.8;", "0.8.30"},
		{"pragma solidity >=0.8.0 <0.8.20;", "0.8.19"},
		{"pragma solidity 0.8.4;", "0.8.4"},
		{"pragma solidity =0.8.4;", "0.8.4"},
		{"pragma solidity ~0.8.4;", "0.8.30"},
		{"pragma solidity 0.8.x;", "0.8.30"},
		{"pragma solidity >=0.4.0 <=0.8;", "0.8.30"},
		{"pragma solidity >0.8.30;", "0.9.0"},
		{"pragma solidity 0.4.0 - 0.7.6;", "0.7.6"},
		{"pragma solidity ^0.4.0 || ^0.7.0;", "0.7.6"},
		{"pragma solidity ^0.8.0; pragma solidity <0.8.10;", "0.8.4"},
		{"pragma solidity \"^0.7.1\";", "0.7.6"},
		{"pragma solidity ^0.6.0;", ""},
		{"pragma solidity nonsense;", "0.9.0"},
		{"pragma abicoder v2; pragma experimental SMTChecker;", "0.9.0"},
	} {
		got, ok := pragma.Latest(installed, []string{test.pragmas})
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%q: %q, want %q", test.pragmas, got, test.want)
		}
	}
}
