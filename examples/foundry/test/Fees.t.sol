// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Fees} from "../src/Fees.sol";
import {Check} from "./support/Check.sol";

contract FeesTest is Check {
    function test_OnePercentOfAThousand() public pure {
        assertEq(Fees.charge(1000, 100), 10, "fee");
    }

    function testFuzz_NeverMoreThanTheAmount(uint96 amount, uint16 basisPoints) public pure {
        uint256 fee = Fees.charge(amount, basisPoints % (Fees.WHOLE + 1));
        assertTrue(fee <= amount, "the fee is more than the amount");
    }

    /// Fails: small amounts pay nothing. forge finds one.
    function testFuzz_NothingIsFree(uint16 amount) public pure {
        if (amount == 0) return;
        assertTrue(Fees.charge(amount, 1) > 0, "the fee is nothing");
    }
}
