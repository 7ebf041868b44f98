// SPDX-License-Identifier: MIT
pragma solidity >=0.8.0;

import "./Vm.sol";

// Assertions as test libraries of today make them: a cheatcode reverts.
abstract contract Check {
    bool public IS_TEST = true;
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    function assertEq(uint256 a, uint256 b) internal pure {
        vm.assertEq(a, b);
    }

    function assertEq(uint256 a, uint256 b, string memory why) internal pure {
        vm.assertEq(a, b, why);
    }

    function assertEq(string memory a, string memory b) internal pure {
        vm.assertEq(a, b);
    }

    function assertTrue(bool ok) internal pure {
        vm.assertTrue(ok);
    }

    function assertTrue(bool ok, string memory why) internal pure {
        vm.assertTrue(ok, why);
    }

    function log(string memory text) internal view {
        address console = 0x000000000000000000636F6e736F6c652e6c6f67;
        (bool ok,) = console.staticcall(abi.encodeWithSignature("log(string)", text));
        ok;
    }
}
