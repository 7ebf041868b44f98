// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Token} from "../src/Token.sol";
import {Vault} from "../src/Vault.sol";
import {Check} from "./support/Check.sol";

/// None of its tests ever starts: setUp fails.
contract DeploymentTest is Check {
    Token private token; // the mistake: it is never created
    Vault private vault;

    function setUp() public {
        vault = new Vault(token, 7 days);
    }

    function test_Period() public view {
        assertEq(vault.period(), 7 days, "period");
    }

    function test_NothingIsOwed() public view {
        assertEq(vault.owed(), 0, "owed");
    }
}
