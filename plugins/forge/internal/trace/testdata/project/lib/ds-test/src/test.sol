// SPDX-License-Identifier: MIT
pragma solidity >=0.5.0;

contract DSTest {
    event log(string);
    event log_named_uint(string key, uint256 val);

    bool public IS_TEST = true;
    bool private _failed;
    address constant HEVM_ADDRESS = address(bytes20(uint160(uint256(keccak256("hevm cheat code")))));

    function hasHEVMContext() internal view returns (bool) {
        uint256 size;
        address hevm = HEVM_ADDRESS;
        assembly { size := extcodesize(hevm) }
        return size > 0;
    }

    function fail() internal {
        if (hasHEVMContext()) {
            (bool status,) = HEVM_ADDRESS.call(
                abi.encodePacked(
                    bytes4(keccak256("store(address,bytes32,bytes32)")),
                    abi.encode(HEVM_ADDRESS, bytes32("failed"), bytes32(uint256(0x01)))
                )
            );
            status;
        }
        _failed = true;
    }

    function assertTrue(bool condition) internal {
        if (!condition) {
            emit log("Error: Assertion Failed");
            fail();
        }
    }

    function assertEq(uint256 a, uint256 b) internal {
        if (a != b) {
            emit log("Error: a == b not satisfied [uint]");
            emit log_named_uint("      Left", a);
            emit log_named_uint("     Right", b);
            fail();
        }
    }
}
