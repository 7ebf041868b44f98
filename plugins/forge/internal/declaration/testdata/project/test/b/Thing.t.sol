// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// A second contract of this name, some lines further down.

contract Thing {
    uint256 private runs;

    function test_same() public { //= test/b/Thing.t.sol:Thing test_same()
        runs++;
    }
}
