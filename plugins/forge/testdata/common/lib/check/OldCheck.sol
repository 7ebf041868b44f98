// SPDX-License-Identifier: MIT
pragma solidity >=0.8.0;

// Assertions as test libraries made them first: an event tells what is wrong, a
// storage slot that the test failed, and the test goes on.
abstract contract OldCheck {
    event log(string text);
    event log_named_uint(string key, uint256 value);
    event log_named_string(string key, string value);
    event log_named_address(string key, address value);

    bool public IS_TEST = true;
    address internal constant HEVM = 0x7109709ECfa91a80626fF3989D68f67F5b1DD12D;

    function fail() internal {
        (bool ok,) =
            HEVM.call(abi.encodeWithSignature("store(address,bytes32,bytes32)", HEVM, bytes32("failed"), bytes32(uint256(1))));
        ok;
    }

    function assertTrue(bool ok) internal {
        if (!ok) {
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

    function assertEq(uint256 a, uint256 b, string memory why) internal {
        if (a != b) {
            emit log_named_string("Error", why);
            assertEq(a, b);
        }
    }

    function assertEq(address a, address b) internal {
        if (a != b) {
            emit log("Error: a == b not satisfied [address]");
            emit log_named_address("      Left", a);
            emit log_named_address("     Right", b);
            fail();
        }
    }
}
