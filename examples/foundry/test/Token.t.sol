// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Token} from "../src/Token.sol";
import {Check} from "./support/Check.sol";

contract TokenTest is Check {
    address private constant BOB = address(0xB0B);

    Token private token;

    function setUp() public {
        token = new Token();
        token.mint(address(this), 100);
    }

    function test_Mint() public view {
        assertEq(token.totalSupply(), 100, "supply");
        assertEq(token.balanceOf(address(this)), 100, "balance");
    }

    function test_Transfer() public {
        token.transfer(BOB, 30);
        assertEq(token.balanceOf(address(this)), 70, "balance of the sender");
        assertEq(token.balanceOf(BOB), 30, "balance of Bob");
    }

    /// Fails: an assertion with its message and both values.
    function test_TransferToOneself() public {
        token.transfer(address(this), 50);
        assertEq(token.balanceOf(address(this)), 100, "balance");
    }

    function test_TransferOfTooMuchIsRefused() public {
        vm.expectRevert(abi.encodeWithSelector(Token.InsufficientBalance.selector, address(this), 100, 101));
        token.transfer(BOB, 101);
    }
}
