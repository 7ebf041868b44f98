// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token that anybody can mint, with a mistake in it.
contract Token {
    error InsufficientBalance(address owner, uint256 balance, uint256 wanted);
    error InsufficientAllowance(address spender, uint256 allowance, uint256 wanted);

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) revert InsufficientAllowance(msg.sender, allowed, amount);
        allowance[from][msg.sender] = allowed - amount;
        _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private {
        uint256 fromBefore = balanceOf[from];
        uint256 toBefore = balanceOf[to];
        if (fromBefore < amount) revert InsufficientBalance(from, fromBefore, amount);
        balanceOf[from] = fromBefore - amount;
        balanceOf[to] = toBefore + amount; // the mistake: from may be to
    }
}
