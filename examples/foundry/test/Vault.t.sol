// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Token} from "../src/Token.sol";
import {Vault} from "../src/Vault.sol";
import {Check} from "./support/Check.sol";

contract VaultTest is Check {
    Token private token;
    Vault private vault;

    function setUp() public {
        token = new Token();
        vault = new Vault(token, 1 days);
        token.mint(address(this), 1000);
        token.approve(address(vault), 1000);
    }

    function test_DepositPaysTheFee() public {
        vault.deposit(1000);
        assertEq(vault.depositOf(address(this)), 990, "deposit");
        assertEq(vault.earned(), 10, "earned");
    }

    function test_WithdrawTooEarlyIsRefused() public {
        vault.deposit(1000);
        vm.expectRevert(abi.encodeWithSelector(Vault.Locked.selector, block.timestamp + 1 days));
        vault.withdraw();
    }

    /// Fails with a custom error: the lock is a second too long.
    function test_WithdrawAtTheEndOfTheLock() public {
        vault.deposit(1000);
        vm.warp(block.timestamp + 1 days);
        vault.withdraw();
        assertEq(token.balanceOf(address(this)), 990, "balance");
    }
}

/// Deposits of many people, for the invariant.
contract Depositor is Check {
    Token private immutable token;
    Vault private immutable vault;

    constructor(Token token_, Vault vault_) {
        token = token_;
        vault = vault_;
    }

    function deposit(uint96 amount) external {
        token.mint(address(this), amount);
        token.approve(address(vault), amount);
        vault.deposit(amount);
    }

    function withdraw() external {
        vm.warp(vault.lockedUntil(address(this)) + 1);
        vault.withdraw();
    }
}

contract VaultInvariantTest is Check {
    Token private token;
    Vault private vault;
    Depositor private depositor;

    function setUp() public {
        token = new Token();
        vault = new Vault(token, 0);
        depositor = new Depositor(token, vault);
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(depositor);
    }

    function invariant_TheVaultHoldsWhatItOwes() public view {
        assertEq(token.balanceOf(address(vault)), vault.owed() + vault.earned(), "balance of the vault");
    }
}
