// SPDX-License-Identifier: MIT
pragma solidity ^0.8.19;

contract Proxy {
    address immutable logic;

    constructor(address logic_) {
        logic = logic_;
    }

    function forward(uint256 n) external {
        (bool ok, bytes memory data) = logic.call(abi.encodeWithSignature("run(uint256)", n));
        if (!ok) {
            assembly {
                revert(add(data, 32), mload(data))
            }
        }
    }

    fallback() external payable {
        address to = logic;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }

    receive() external payable {
        revert("no gifts");
    }
}

contract Logic {
    function run(uint256 n) external pure {
        require(n == 1, "only one"); // origin:testProxy origin:testRethrow origin:testTryRethrow
    }

    function empty() external pure {
        revert();
    }

    function pay() external payable {
        require(msg.value == 2, "two"); // origin:testNotPayable
    }
}

contract Guarded {
    uint256 immutable limit;
    address immutable owner;

    constructor(uint256 n) {
        limit = n;
        owner = msg.sender;
    }

    modifier small(uint256 n) {
        _;
        if (n > limit) {
            revert("too large"); // origin:testImmutable origin:testCreate2
        }
    }

    function check(uint256 n) external view small(n) returns (bool) {
        return owner != address(0) && n > 0;
    }
}

contract Store {
    uint256 value;

    constructor(uint256 n) {
        set(n);
    }

    function set(uint256 n) internal {
        require(n > 0, "zero"); // origin:testConstructorCallsHelper
        value = n;
    }
}

abstract contract Abstract {
    function work(uint256 n) external virtual {
        step(n);
    }

    function step(uint256 n) internal virtual {
        require(n != 2, "abstract"); // origin:testInherited2
    }
}

contract User is Abstract {
    function step(uint256 n) internal override {
        super.step(n);
    }
}

contract Generic {
    function outer(uint256 n) external view {
        try this.inner(n) {} catch {
            this.inner(n + 1);
        }
    }

    function inner(uint256 n) external pure {
        if (n == 1) revert("first");
        revert("second"); // origin:testNestedTry
    }
}

type Typed is uint256;

using {plus as +} for Typed global;

function plus(Typed a, Typed b) pure returns (Typed) {
    uint256 sum = Typed.unwrap(a) + Typed.unwrap(b);
    require(sum < 5, "typed"); // origin:testUserType
    return Typed.wrap(sum);
}

function wrapIt(uint256 n) pure returns (Typed) {
    return Typed.wrap(n);
}
