// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

interface Vm {
    function assertEq(uint256 left, uint256 right) external pure;
    function assertTrue(bool condition) external pure;
    function expectRevert(bytes calldata data) external;
    function expectRevert() external;
    function expectEmit() external;
    function prank(address sender) external;
    function assume(bool condition) external pure;
    function store(address target, bytes32 slot, bytes32 value) external;
    function ffi(string[] calldata) external returns (bytes memory);
    function etch(address target, bytes calldata code) external;
}

abstract contract Test {
    bool public IS_TEST = true;
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function assertEq(uint256 left, uint256 right) internal pure virtual {
        if (left != right) {
            vm.assertEq(left, right);
        }
    }

    function assertTrue(bool condition) internal pure virtual {
        if (!condition) {
            vm.assertTrue(condition);
        }
    }

    function fail() internal virtual {
        vm.store(address(vm), bytes32("failed"), bytes32(uint256(1)));
    }

    function bound(uint256 x, uint256 min, uint256 max) internal pure returns (uint256) {
        require(min <= max, "bound: min > max");
        return x % (max - min + 1) + min;
    }
}
