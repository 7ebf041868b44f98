// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Thing {
    function test_same() public pure {} //= test/Thing.t.sol:Thing test_same()
}
