// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

library Maths {
    error Odd(uint256 x);

    function half(uint256 x) internal pure returns (uint256) {
        if (x % 2 == 1) revert Odd(x); // origin:testLibraryInSource origin:testLibraryThroughContract
        return x / 2;
    }

    function ratio(uint256 a, uint256 b) internal pure returns (uint256) {
        return a / b; // origin:testDivisionInLibrary
    }
}

library Linked {
    function check(uint256 x) external pure returns (uint256) {
        require(x < 5, "linked says no"); // origin:testLinkedLibrary
        return x;
    }
}

function free(uint256 x) pure returns (uint256) {
    require(x != 7, "no sevens"); // origin:testFreeFunction
    return x;
}
