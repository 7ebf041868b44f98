// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {Test} from "mini-std/Test.sol";

contract CrlfTest is Test {
    uint256 internal wanted = 1;

    function testCrlf() public {
        uint256 x = wanted;
        assertEq(x, 3); // frame:testCrlf
    }

    modifier checked() {
        wanted = 2;
        _;
        assertEq(wanted, 4);
    }

    function hook() internal virtual { require(wanted == 9, "crlf"); } // origin:testCrlfHook

    function testCrlfHook() public {
        hook(); // frame:testCrlfHook
    }
}
