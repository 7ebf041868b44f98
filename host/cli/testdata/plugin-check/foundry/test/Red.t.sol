// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract RedTest {
    event log(string);

    function test_sum() public {
        emit log("one and one is two");
        require(1 + 1 == 3, "1 + 1 is not 3");
    }

    function test_difference() public pure {}
}
