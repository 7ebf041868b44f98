// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {Test} from "mini-std/Test.sol";
import {Silent, First, Second, Twin, OtherTwin, Swallower, Logged} from "../src/Traps.sol";

interface Cheats {
    function mockCallRevert(address callee, bytes calldata data, bytes calldata result) external;
    function mockFunction(address callee, address target, bytes calldata data) external;
    function cloneAccount(address source, address target) external;
    function snapshotState() external returns (uint256);
    function revertToState(uint256 id) external returns (bool);
}

interface Numbered {
    function number() external returns (uint256);
}

/// What looks like the place of a failure here and is not.
contract TrapsTest is Test {
    address[] targets;
    uint256 calls;
    Cheats cheats = Cheats(address(vm));

    // The second target has no code: the check before the call fails, not the call.
    function testNoCodeInLoop() public {
        targets.push(address(new Silent()));
        targets.push(address(0x1234));
        for (uint256 i = 0; i < 2; i++) {
            try Silent(targets[i]).f() {} catch {} // frame:testNoCodeInLoop
        }
    }

    // Both calls fail with the same words, and those of the first are passed on.
    function testFirstOfTwo() public {
        (bool ok, bytes memory first) = address(new First()).call(abi.encodeCall(First.f, ()));
        (bool other,) = address(new Second()).call(abi.encodeCall(Second.f, ()));
        if (!ok && !other) {
            assembly {
                revert(add(first, 32), mload(first)) // frame:testFirstOfTwo
            }
        }
    }

    // The address has the code of another contract than the one created there.
    function testEtchedOver() public {
        Twin twin = new Twin();
        vm.etch(address(twin), address(new OtherTwin()).code);
        twin.f(); // frame:testEtchedOver
    }

    // The address gets back the code that it had first.
    function testDeployedOver() public {
        uint256 none = cheats.snapshotState();
        Twin twin = new Twin();
        uint256 one = cheats.snapshotState();
        cheats.revertToState(none);
        require(address(new OtherTwin()) == address(twin), "another address");
        require(cheats.revertToState(one), "no such state");
        OtherTwin(address(twin)).f(); // frame:testDeployedOver
    }

    function testMockedFunction() public {
        Twin twin = new Twin();
        cheats.mockFunction(address(twin), address(new OtherTwin()), abi.encodeCall(Twin.f, ()));
        twin.f(); // frame:testMockedFunction
    }

    function testClonedAccount() public {
        Twin twin = new Twin();
        cheats.cloneAccount(address(new OtherTwin()), address(twin));
        twin.f(); // frame:testClonedAccount
    }

    function testMockedRevert() public {
        Twin twin = new Twin();
        cheats.mockCallRevert(address(twin), "", "mocked");
        twin.f(); // frame:testMockedRevert
    }

    // Code that nobody knows passes on a failure, or fails by itself.
    function testUnknownSwallower() public {
        vm.etch(address(0xabcd), address(new Swallower()).code);
        Swallower(address(0xabcd)).f(new First()); // frame:testUnknownSwallower
    }

    function testClone() public {
        address logic = address(new Logged());
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", logic, hex"5af43d82803e903d91602b57fd5bf3"
        );
        address clone;
        assembly {
            clone := create(0, add(code, 32), mload(code))
        }
        Logged(clone).f(2); // frame:testClone
    }

    function marksAndReverts() external {
        fail();
        revert();
    }

    function testMarkUndone() public {
        try this.marksAndReverts() {} catch {}
        fail(); // frame:testMarkUndone
    }

    function testMarkKept() public {
        uint256 id = cheats.snapshotState();
        fail(); // frame:testMarkKept
        cheats.revertToState(id);
    }

    // How much gas is left depends on how the code was compiled.
    function testMeasuresGas() public view {
        uint256 before = gasleft();
        uint256 sum;
        for (uint256 i = 0; i < 100; i++) {
            sum += i * 3 + 1;
        }
        require(before - gasleft() < 35000 || sum == 0, "x");
        require(false, "x");
    }

    function testMeasuredByCallee() public {
        Logged logged = new Logged();
        logged.measured();
        require(logged.last() == 0, "x");
    }

    function costs() external {
        for (uint256 i = 0; i < 100; i++) {
            calls += i;
        }
    }

    function testLimitsGas() public {
        try this.costs{gas: 30000}() {
            require(false, "x");
        } catch {
            require(false, "x");
        }
    }

    function testMeasuresNothing() public {
        new Logged().f(2); // frame:testMeasuresNothing
    }

    function callsNothing() external {
        Silent(address(0x1234)).f(); // origin:testCallsNothing
    }

    function testCallsNothing() public {
        this.callsNothing(); // frame:testCallsNothing
    }

    // Without traces the call fails without words.
    function testWordsOfForge() public {
        try this.callsNothing() {}
        catch (bytes memory words) {
            require(words.length == 0, "x");
            require(false, "x");
        }
    }

    function testCalledAgain() public {
        if (calls++ == 0) {
            this.testCalledAgain(); // frame:testCalledAgain
        }
        require(false, "again"); // origin:testCalledAgain
    }

    fallback() external {
        require(msg.data.length == 0, "fallback"); // origin:testFallback
    }

    receive() external payable {
        require(msg.value == 0, "receive"); // origin:testReceiveFails
    }

    function testFallback() public {
        Silent(address(this)).f(); // frame:testFallback
    }

    function testReceiveFails() public {
        payable(address(this)).transfer(1); // frame:testReceiveFails
    }

    modifier twice() {
        _;
        _;
    }

    function testTwice() public twice {
        calls++;
        require(calls < 2, "twice"); // frame:testTwice
    }

    function testSlice() public {
        this.slice(hex"01"); // frame:testSlice
    }

    function slice(bytes calldata b) external pure returns (bytes calldata) {
        return b[2:]; // origin:testSlice
    }

    function testUninitialised() public pure {
        function() internal pure f;
        f(); // frame:testUninitialised
    }

    function testTryDecodes() public {
        try Numbered(address(this)).number() returns (uint256 n) { // frame:testTryDecodes
            require(n == 1, "n");
        } catch {}
    }

    function number() external pure {}
}
