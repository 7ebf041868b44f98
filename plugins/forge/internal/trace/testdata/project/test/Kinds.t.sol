// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {BaseTest} from "./Base.t.sol";
import {Bank, Front, Poor} from "../src/Bank.sol";
import {Maths, Linked, free} from "../src/Maths.sol";

contract KindsTest is BaseTest {
    Bank bank;
    Front front;
    uint256[] items;
    uint256 counter;

    enum Color { Red, Green }

    error Mine(uint256 code);
    event Ping(uint256 x);

    function setUp() public {
        bank = new Bank(address(this));
        front = new Front(bank);
        items.push(1);
    }

    function testPasses() public {
        assertEq(1, 1);
    }

    function testRequireInTest() public {
        uint256 x = items.length;
        require(x == 2, "want two items"); // frame:testRequireInTest
    }

    function testBareRequire() public {
        counter++;
        require(counter == 2); // frame:testBareRequire
    }

    function testBareRevert() public {
        counter++;
        revert(); // frame:testBareRevert
    }

    function testAssertEq() public {
        counter = 1;
        assertEq(counter, 1);
        assertEq(counter, 2); // frame:testAssertEq
        counter = 4;
    }

    function testAssertTrue() public {
        assertTrue(true);
        assertTrue(counter == 9); // frame:testAssertTrue
    }

    function testCallsFail() public {
        counter = 2;
        if (counter == 2) {
            fail(); // frame:testCallsFail
        }
        counter = 3;
    }

    function testRequireInSource() public {
        bank.needs(11);
        bank.needs(3); // frame:testRequireInSource
    }

    function testSilentRequire() public {
        bank.silent(1);
        bank.silent(0); // frame:testSilentRequire
    }

    function testCustomErrorInTest() public {
        counter = 8;
        if (counter == 8) revert Mine(counter); // frame:testCustomErrorInTest
    }

    function testCustomErrorInCallee() public {
        bank.deposit(1);
        bank.withdraw(100); // frame:testCustomErrorInCallee
    }

    function testLibraryInSource() public {
        assertEq(Maths.half(4), 2);
        Maths.half(5); // frame:testLibraryInSource
    }

    function testLibraryThroughContract() public {
        bank.half(4);
        bank.half(7); // frame:testLibraryThroughContract
    }

    function testLinkedLibrary() public {
        Linked.check(1);
        Linked.check(9); // frame:testLinkedLibrary
    }

    function testFreeFunction() public {
        free(6);
        free(7); // frame:testFreeFunction
    }

    function testDivisionInLibrary() public {
        Maths.ratio(4, 2);
        Maths.ratio(4, items.length - 1); // frame:testDivisionInLibrary
    }

    function testDivisionInCallee() public {
        bank.bug(1, 1);
        bank.bug(1, 0); // frame:testDivisionInCallee
    }

    function one(uint256 x) internal {
        two(x);
    }

    function two(uint256 x) internal {
        counter = x;
        three(x);
    }

    function three(uint256 x) internal pure {
        require(x < 3, "nested helper"); // origin:testNestedHelpers origin:testModifierWithHelper
    }

    function testNestedHelpers() public {
        one(1);
        one(5); // frame:testNestedHelpers
    }

    modifier guarded(uint256 x) {
        require(x != 1, "guard"); // frame:testModifierBefore
        _;
    }

    function testModifierBefore() public guarded(items.length) {
        counter = 1;
    }

    modifier helped() {
        three(7);
        _;
    }

    function testModifierWithHelper() public helped {
        counter = 1;
    }

    function testModifierAfter() public checked {
        counter = 1;
    }

    function testModifierOfCallee() public {
        bank.sweep();
        vm.prank(address(9));
        bank.sweep(); // frame:testModifierOfCallee
    }

    function testDeepCall() public {
        front.careful();
        front.forward(); // frame:testDeepCall
    }

    function testThirdCallFails() public {
        front.picky(20);
        front.picky(21); // frame:testThirdCallFails
    }

    function testPanicAssert() public {
        counter = 1;
        assert(counter == 2); // frame:testPanicAssert
    }

    function testPanicOverflow() public {
        uint256 x = type(uint256).max;
        counter = 1;
        x = x + counter; // frame:testPanicOverflow
    }

    function testPanicUnderflow() public {
        counter -= 1; // frame:testPanicUnderflow
    }

    function testPanicZeroDivision() public {
        counter = 10 / (items.length - 1); // frame:testPanicZeroDivision
    }

    function testPanicIndex() public {
        counter = items[0];
        counter = items[1]; // frame:testPanicIndex
    }

    function testPanicEnum() public {
        Color c = Color(items.length + 1); // frame:testPanicEnum
        counter = uint256(c);
    }

    function testPanicPop() public {
        items.pop();
        items.pop(); // frame:testPanicPop
    }

    function testExpectRevertMissing() public {
        vm.expectRevert();
        bank.needs(12); // frame:testExpectRevertMissing
    }

    function testExpectRevertMismatch() public {
        vm.expectRevert(bytes("want this"));
        bank.needs(2); // frame:testExpectRevertMismatch
    }

    function testExpectRevertNothingFollows() public {
        counter = 1;
        vm.expectRevert();
    }

    function testTryCatchThenAssert() public {
        bool ok = true;
        try bank.needs(2) returns (uint256) {
            ok = true;
        } catch {
            ok = false;
        }
        assertTrue(ok); // frame:testTryCatchThenAssert
    }

    function testTryCatchThenRequire() public {
        vm.prank(address(9));
        bool ok = front.careful();
        require(ok, "swallowed"); // frame:testTryCatchThenRequire
    }

    function testLowLevelCallThenRequire() public {
        (bool ok,) = address(bank).call(abi.encodeCall(Bank.needs, (2)));
        require(ok, "low level"); // frame:testLowLevelCallThenRequire
    }

    function testCallInLoop() public {
        for (uint256 i = 0; i < 5; i++) {
            bank.needs(13 - i); // frame:testCallInLoop
        }
    }

    function testLoopAssertion() public {
        uint256 sum;
        for (uint256 i = 0; i < 10; i++) {
            sum += i;
            assertTrue(sum < 20); // frame:testLoopAssertion
        }
    }

    function testMultiline() public {
        assertEq( // frame:testMultiline
            counter,
            items.length
        );
    }

    function testMultilineArgument() public {
        assertEq(
            counter,
            items[3] // frame:testMultilineArgument
        );
    }

    function testMultilineRequire() public {
        require( // frame:testMultilineRequire
            counter == 3
                && items.length == 1,
            "multi line"
        );
    }

    function testMultilineCall() public {
        front // frame:testMultilineCall
            .bank()
            .silent(
                counter
            );
    }

    function testFuzz(uint256 x) public {
        x = bound(x, 100, 200);
        assertTrue(x < 100); // frame:testFuzz
    }

    function testConstructorReverts() public {
        new Bank(address(1));
        new Bank(address(0)); // frame:testConstructorReverts
    }

    function testNonContract() public {
        Bank(address(0x1234)).needs(1); // frame:testNonContract
    }

    function testBadReturnData() public {
        vm.etch(address(0x4321), hex"00");
        Bank(address(0x4321)).needs(1); // frame:testBadReturnData
    }

    function testAssembly() public {
        assembly {
            mstore(0, 5)
            revert(0, 32) // frame:testAssembly
        }
    }

    function testInvalidOpcode() public {
        assembly {
            invalid() // frame:testInvalidOpcode
        }
    }

    function testTernary() public {
        bool good = counter == 1;
        assertEq(good ? 1 : 2, 1); // frame:testTernary
    }

    function testCheatcodeFails() public {
        string[] memory cmd = new string[](1);
        cmd[0] = "x";
        vm.ffi(cmd); // frame:testCheatcodeFails
    }

    function testSelfCall() public {
        this.external_(1);
        this.external_(2); // frame:testSelfCall
    }

    function external_(uint256 x) external {
        require(x == 1, "from outside"); // origin:testSelfCall
    }

    function testRecursion() public {
        recurse(5); // frame:testRecursion
    }

    function recurse(uint256 n) internal {
        if (n == 0) {
            revert("bottom"); // origin:testRecursion
        }
        recurse(n - 1);
    }

    function testFunctionPointer() public {
        function(uint256) internal pure f = three2;
        f(5); // frame:testFunctionPointer
    }

    function three2(uint256 x) internal pure {
        require(x < 3, "pointer"); // origin:testFunctionPointer
    }

    function testOutOfGas() public {
        uint256 i;
        while (true) i++;
    }

    function testExpectEmit() public {
        vm.expectEmit();
        emit Ping(1);
        bank.needs(12);
    }

    function hook() internal override {
        revert("in the hook"); // origin:testTemplate
    }
}
