// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {DSTest} from "ds-test/test.sol";
import {Bank} from "../src/Bank.sol";

contract DsTest is DSTest {
    uint256 n = 1;

    function testDsEq() public {
        assertEq(n, 1);
        assertEq(n, 2); // frame:testDsEq
        n = 3;
    }

    function testDsTwo() public {
        assertTrue(n == 4); // frame:testDsTwo
        assertEq(n, 5);
    }

    function testDsFail() public {
        if (n == 1) fail(); // frame:testDsFail
    }

    function helper(uint256 x) internal {
        assertEq(x, n); // origin:testDsHelper
    }

    function testDsHelper() public {
        helper(1);
        helper(2); // frame:testDsHelper
    }

    function testDsFuzz(uint256 x) public {
        assertTrue(x > type(uint256).max - 1); // frame:testDsFuzz
    }

    function testDsThenRevert() public {
        assertEq(n, 2);
        require(n == 2, "afterwards"); // frame:testDsThenRevert
    }
}
