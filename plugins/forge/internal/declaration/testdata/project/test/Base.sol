// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import {Counter} from "../src/Counter.sol";

/// function test_inherited() public {} is only told of here – in bytes, ünïcödé counts twice 🧪
abstract contract Base {
    string internal text = "function test_inherited() public {}";
    Counter internal counter;

    function setUp() public virtual { //= test/Inherits.t.sol:Inherits setUp()
        counter = new Counter();
    }

    function test_inherited() public { //= test/Inherits.t.sol:Inherits test_inherited()
        counter.add(3);
        require(counter.number() == 3);
    }

    function test_overridden() public virtual {
        counter.add(4);
    }

    function test_ofAnAbstractContract(uint8 a) external view returns (bool) { //= test/Inherits.t.sol:Inherits test_ofAnAbstractContract(uint8)
        return a < counter.number();
    }
}
