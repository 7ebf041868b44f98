// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./Base.sol";
import {DepTest as Renamed} from "dep/Dep.sol";
import "dep/Dep.sol" as Dep;

contract Inherits is Base, Renamed {
    bool public IS_TEST = true;

    function test_overridden() public override { //= test/Inherits.t.sol:Inherits test_overridden()
        counter.add(5);
        require(counter.number() == 5);
    }
}
