// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {Test} from "mini-std/Test.sol";

abstract contract BaseTest is Test {
    uint256 internal wanted = 1;

    function testInherited() public {
        uint256 x = wanted;
        assertEq(x, 3); // frame:testInherited
    }

    modifier checked() {
        wanted = 2;
        _;
        assertEq(wanted, 4); // frame:testModifierAfter
    }

    function hook() internal virtual;

    function testTemplate() public {
        hook(); // frame:testTemplate
    }
}
