// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {Test} from "mini-std/Test.sol";
import {Bank} from "../src/Bank.sol";
import {Proxy, Logic, Guarded, Store, Generic, User, Typed, wrapIt} from "../src/More.sol";

contract Handler is Test {
    uint256 public n;

    function inc() public {
        n++;
        require(n < 100000, "never");
    }

    function reverts() public pure {
        revert("benign");
    }
}

contract InvariantTest is Test {
    Handler h;

    struct Selector { address addr; bytes4[] selectors; }

    function setUp() public {
        h = new Handler();
    }

    function targetContracts() public view returns (address[] memory a) {
        a = new address[](1);
        a[0] = address(h);
    }

    function invariant_small() public {
        assertTrue(h.n() < 3); // frame:invariant_small
    }

    function invariant_revert() public {
        check(h.n()); // frame:invariant_revert
    }

    function check(uint256 n) internal {
        require(n < 2, "too many"); // origin:invariant_revert
    }
}

/// Ünïcödé — “quotes” before the code shift offsets of bytes against characters. 日本語
contract MoreTest is Test {
    Proxy proxy;
    uint256 x = 1;

    function setUp() public virtual {
        proxy = new Proxy(address(new Logic()));
    }

    function testProxy() public {
        Logic(address(proxy)).run(1);
        Logic(address(proxy)).run(2); // frame:testProxy
    }

    function testRethrow() public {
        proxy.forward(1);
        proxy.forward(9); // frame:testRethrow
    }

    function testOverloaded(uint8 a) public {
        require(a == 255 && x == 2, "uint8"); // frame:testOverloaded(uint8)
    }

    function testOverloaded(uint256 a) public {
        require(a == 255 && x == 2, "uint256"); // frame:testOverloaded(uint256)
    }

    function testImmutable() public {
        Guarded g = new Guarded(5);
        g.check(5);
        g.check(6); // frame:testImmutable
    }

    function testCreate2() public {
        Guarded g = new Guarded{salt: bytes32(uint256(1))}(5);
        g.check(6); // frame:testCreate2
    }

    function testConstructorCallsHelper() public {
        new Store(1);
        new Store(0); // frame:testConstructorCallsHelper
    }

    function testInherited2() public {
        User u = new User();
        u.work(2); // frame:testInherited2
    }

    function testAbiDecode() public {
        abi.decode(hex"01", (uint256)); // frame:testAbiDecode
    }

    function testAbiDecodeString() public {
        string memory s = abi.decode(abi.encode(uint256(1 << 200)), (string)); // frame:testAbiDecodeString
        s;
    }

    function testUserType() public {
        Typed a = wrapIt(1);
        Typed b = wrapIt(2);
        a = a + b;
        a = a + a; // frame:testUserType
    }

    function testReceive() public {
        (bool ok,) = address(proxy).call{value: 1}("");
        require(ok, "pay"); // frame:testReceive
    }

    function testNotPayable() public {
        Logic l = new Logic();
        Logic(payable(address(l))).pay{value: 1}(); // frame:testNotPayable
    }

    function testInsufficient() public {
        payable(address(1)).transfer(type(uint256).max); // frame:testInsufficient
    }

    function testUnknownSelector() public {
        Bank(address(new Logic())).sweep(); // frame:testUnknownSelector
    }

    function testTryRethrow() public {
        Logic l = new Logic();
        try l.run(2) {} catch Panic(uint256) {} // frame:testTryRethrow
    }

    function testCatchReason() public {
        Logic l = new Logic();
        try l.run(2) {} catch Error(string memory reason) {
            revert(reason); // frame:testCatchReason
        }
    }

    function testWhile() public {
        uint256 i = 10;
        while (true) {
            i -= 3; // frame:testWhile
        }
    }

    function testStringRequire() public {
        string memory s = "abc";
        require( // frame:testStringRequire
            keccak256(bytes(s)) == keccak256("abd"),
            string.concat("a", s)
        );
    }

    function testConditional() public view {
        x == 1 ? this.boom(1) : this.boom(2); // frame:testConditional
    }

    function boom(uint256 n) external pure {
        assert(n == 2); // origin:testConditional
    }

    function testArrayIndex() public {
        uint256[] memory a = new uint256[](3);
        uint256 i = 3;
        a[ // frame:testArrayIndex
            i
        ] = 4;
    }

    function testNestedTry() public {
        Generic g = new Generic();
        g.outer(1); // frame:testNestedTry
    }

    function testEtched() public {
        Logic l = new Logic();
        vm.etch(address(0xabcd), address(l).code);
        Logic(address(0xabcd)).run(2); // frame:testEtched origin:testEtched
    }

    function testEmptyRevertSwallowed() public {
        Logic l = new Logic();
        (bool ok,) = address(l).call(abi.encodeCall(Logic.empty, ()));
        require(ok); // frame:testEmptyRevertSwallowed
    }

    function testSuper() public virtual {
        require(x == 5, "super"); // origin:testSuper frame:MoreTest.testSuper
    }

}

contract DerivedTest is MoreTest {
    function testSuper() public override {
        super.testSuper(); // frame:testSuper
    }
}
