// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract GreenTest {
    function test_one() public pure {}

    function testFuzz_two(uint8 n) public pure {
        require(uint256(n) < 256, "a byte is less than 256");
    }
}
