// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Fees in hundredths of a percent, with a mistake in it.
library Fees {
    uint256 internal constant WHOLE = 10_000;

    /// The fee for an amount: at least 1, unless the amount is 0.
    function charge(uint256 amount, uint256 basisPoints) internal pure returns (uint256) {
        return amount * basisPoints / WHOLE; // the mistake: it should round up
    }
}
