// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// The cheatcodes that these tests use.
interface Vm {
    function assertEq(uint256 got, uint256 want, string calldata what) external pure;
    function assertTrue(bool ok, string calldata what) external pure;
    function expectRevert(bytes calldata data) external;
    function warp(uint256 timestamp) external;
}

/// Assertions for the test contracts, so that no library must be installed.
abstract contract Check {
    bool public IS_TEST = true;

    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    function assertEq(uint256 got, uint256 want, string memory what) internal pure {
        vm.assertEq(got, want, what);
    }

    function assertTrue(bool ok, string memory what) internal pure {
        vm.assertTrue(ok, what);
    }
}
