// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {Maths} from "./Maths.sol";

error Poor(address who, uint256 has, uint256 wants);

contract Bank {
    mapping(address => uint256) public balance;
    address public owner;
    uint256[] public list;

    constructor(address owner_) {
        require(owner_ != address(0), "no owner"); // origin:testConstructorReverts
        owner = owner_;
    }

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner"); // origin:testModifierOfCallee origin:testDeepCall
        _;
    }

    function deposit(uint256 amount) external {
        balance[msg.sender] += amount;
    }

    function withdraw(uint256 amount) external {
        if (balance[msg.sender] < amount) {
            revert Poor(msg.sender, balance[msg.sender], amount); // origin:testCustomErrorInCallee
        }
        balance[msg.sender] -= amount;
    }

    function sweep() external onlyOwner {
        list.push(1);
    }

    function needs(uint256 x) external pure returns (uint256) {
        require(x > 10, "want more than ten"); // origin:testRequireInSource origin:testCallInLoop origin:testLowLevelCallThenRequireNested
        return x;
    }

    function half(uint256 x) external pure returns (uint256) {
        return inner(x);
    }

    function inner(uint256 x) internal pure returns (uint256) {
        return Maths.half(x);
    }

    function bug(uint256 a, uint256 b) external pure returns (uint256) {
        return a / b; // origin:testDivisionInCallee
    }

    function silent(uint256 x) external pure {
        require(x != 0); // origin:testSilentRequire origin:testMultilineCall
    }
}

contract Front {
    Bank public bank;

    constructor(Bank bank_) {
        bank = bank_;
    }

    function forward() external {
        bank.sweep();
    }

    function careful() external returns (bool) {
        try bank.sweep() {
            return true;
        } catch {
            return false;
        }
    }

    function picky(uint256 a) external view {
        bank.needs(50);
        uint256 x = bank.needs(20);
        require(x == a, "front is picky"); // origin:testThirdCallFails
    }
}
