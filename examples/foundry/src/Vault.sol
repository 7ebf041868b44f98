// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Fees} from "./Fees.sol";
import {Token} from "./Token.sol";

/// Locks tokens for a time, for a fee, with a mistake in it.
contract Vault {
    error Locked(uint256 until);

    uint256 public constant FEE = 100;

    Token public immutable token;
    uint256 public immutable period;
    uint256 public owed;
    uint256 public earned;
    mapping(address => uint256) public depositOf;
    mapping(address => uint256) public lockedUntil;

    constructor(Token token_, uint256 period_) {
        require(address(token_).code.length > 0, "Vault: no token");
        token = token_;
        period = period_;
    }

    /// Locks an amount, until a period from now.
    function deposit(uint256 amount) external {
        uint256 fee = Fees.charge(amount, FEE);
        token.transferFrom(msg.sender, address(this), amount);
        depositOf[msg.sender] += amount - fee;
        lockedUntil[msg.sender] = block.timestamp + period;
        owed += amount - fee;
        earned += fee;
    }

    /// Returns everything once the lock has ended.
    function withdraw() external {
        uint256 until = lockedUntil[msg.sender];
        if (block.timestamp <= until) revert Locked(until); // the mistake: at the end it is open
        uint256 amount = depositOf[msg.sender];
        depositOf[msg.sender] = 0;
        owed -= amount;
        token.transfer(msg.sender, amount);
    }
}
