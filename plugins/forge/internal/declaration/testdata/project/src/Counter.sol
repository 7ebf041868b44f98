// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Counter {
    uint256 public number;

    function add(uint256 by) external {
        number += by;
    }
}

contract TestsInSourcesRun {
    function test_inSources() public pure {} //= src/Counter.sol:TestsInSourcesRun test_inSources()
}

library LibraryRun {
    function test_ofALibraryThatChangesNothing() external pure {} //= src/Counter.sol:LibraryRun test_ofALibraryThatChangesNothing()
    function test_ofALibraryThatChangesState(uint256[] storage a) external { a.push(1); }
    function test_ofALibraryNotInTheABI() external {}
}
