// SPDX-License-Identifier: MIT
pragma solidity >=0.6.0;

// The cheatcodes that the cases use.
interface Vm {
    function assertEq(uint256 a, uint256 b) external pure;
    function assertEq(uint256 a, uint256 b, string calldata why) external pure;
    function assertEq(string calldata a, string calldata b) external pure;
    function assertEq(address a, address b) external pure;
    function assertTrue(bool ok) external pure;
    function assertTrue(bool ok, string calldata why) external pure;
    function assertLt(uint256 a, uint256 b) external pure;
    function assertApproxEqAbs(uint256 a, uint256 b, uint256 delta) external pure;
    function assume(bool ok) external pure;
    function skip(bool doSkip) external;
    function skip(bool doSkip, string calldata why) external;
    function expectRevert() external;
    function expectRevert(bytes calldata data) external;
    function expectRevert(bytes4 selector) external;
    function expectEmit(bool a, bool b, bool c, bool data) external;
    function expectCall(address callee, bytes calldata data) external;
    function store(address target, bytes32 slot, bytes32 value) external;
    function ffi(string[] calldata argv) external returns (bytes memory);
    function readFile(string calldata path) external view returns (string memory);
    function envString(string calldata name) external view returns (string memory);
    function createSelectFork(string calldata url) external returns (uint256);
    function snapshotGasLastCall(string calldata group, string calldata name) external returns (uint256);
    function snapshotValue(string calldata name, uint256 value) external;
    function snapshotValue(string calldata group, string calldata name, uint256 value) external;
    function startSnapshotGas(string calldata name) external;
    function stopSnapshotGas(string calldata name) external returns (uint256);
    function label(address account, string calldata name) external;
    function prank(address sender) external;
    function warp(uint256 time) external;
    function prompt(string calldata text) external returns (string memory);
    function sleep(uint256 ms) external;
    function setEnv(string calldata name, string calldata value) external;
    function breakpoint(string calldata char) external pure;
}
