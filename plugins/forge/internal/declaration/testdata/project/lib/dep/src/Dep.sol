// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

abstract contract DepTest {
    function test_inLibrary() public pure {} //= test/Inherits.t.sol:Inherits test_inLibrary()
}

contract DepRuns {
    function test_ofADependencyDoesNotRun() public pure {}
}
