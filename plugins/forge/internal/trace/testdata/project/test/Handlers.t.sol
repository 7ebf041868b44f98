// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {Test} from "mini-std/Test.sol";

/// forge-config: default.invariant.fail_on_revert = true
contract HandlersTest is Test {
    Counter counter;

    function setUp() public {
        counter = new Counter();
    }

    function targetContracts() public view returns (address[] memory a) {
        a = new address[](1);
        a[0] = address(counter);
    }

    function invariant_handlerReverts() public view {
        counter.n();
    }
}

contract Counter {
    uint256 public n;

    function add(uint256) public {
        n++;
        require(n < 4, "handler broke"); // origin:invariant_handlerReverts
    }
}

contract AssertingTest is Test {
    uint256 n;

    function targetContracts() public view returns (address[] memory a) {
        a = new address[](1);
        a[0] = address(this);
    }

    function poke() public {
        n++;
        assertTrue(n < 3); // origin:invariant_handlerAsserts
    }

    function invariant_handlerAsserts() public {
        n = n;
    }
}

contract AfterTest is Test {
    uint256 n;

    function targetContracts() public view returns (address[] memory a) {
        a = new address[](1);
        a[0] = address(this);
    }

    function poke() public {
        n = 1;
    }

    function invariant_fine() public {
        n = 2;
    }

    function afterInvariant() public view {
        require(n == 77, "after"); // origin:invariant_fine
    }
}

contract SiblingsTest is Test {
    Flaky flaky;

    function setUp() public {
        flaky = new Flaky();
    }

    function targetContracts() public view returns (address[] memory a) {
        a = new address[](1);
        a[0] = address(flaky);
    }

    function invariant_afterBenignReverts() public view {
        require(flaky.n() < 2, "two"); // frame:invariant_afterBenignReverts
    }
}

contract Flaky {
    uint256 public n;

    function up() public {
        n++;
    }

    function benign() public pure {
        revert("benign");
    }
}
