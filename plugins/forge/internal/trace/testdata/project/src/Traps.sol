// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

contract Silent {
    function f() external pure {
        revert();
    }
}

contract First {
    function f() external pure {
        revert("same");
    }
}

contract Second {
    function f() external pure {
        revert("same");
    }
}

/// Twins have codes of one shape, and fail on different lines.
contract Twin {
    function f() external pure {
        require(msg.data.length == 9, "twin");
    }
}

contract OtherTwin {
    function f() external pure {
        require(msg.data.length == 5, "twin");
    }
}

/// Its last call fails as it fails itself, for another reason.
contract Swallower {
    function f(First first) external view {
        try first.f() {}
        catch {
            revert("same");
        }
    }
}

contract Logged {
    uint256 public last;

    function measured() external {
        last = gasleft();
    }

    function f(uint256 n) external pure {
        require(n == 1, "logged"); // origin:testMeasuresNothing origin:testClone
    }
}
