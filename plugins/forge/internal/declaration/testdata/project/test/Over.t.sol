// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

uint256 constant LENGTH = 2;

enum Kind {
    One,
    Two
}

type Id is uint64;

struct Point {
    int256 x;
    Kind[LENGTH] kinds;
}

contract Over {
    uint256 public testGetter = 3; //= test/Over.t.sol:Over testGetter()
    mapping(uint256 => mapping(address who => bool)) public test_map; //= test/Over.t.sol:Over test_map(uint256,address)

    // function test_over() public {}
    /* function test_over() public {} */ function test_over() public pure {} //= test/Over.t.sol:Over test_over()

    function test_over(uint256 a) public pure { //= test/Over.t.sol:Over test_over(uint256)
        require(a == a);
    }

    function test_over(int a) public pure { //= test/Over.t.sol:Over test_over(int256)
        require(a == a);
    }

    function test_over(Point memory p, Kind, Id) public pure { //= test/Over.t.sol:Over test_over((int256,uint8[2]),uint8,uint64)
        require(p.x == p.x);
    }

    function test_over( //= test/Over.t.sol:Over test_over(address,address[],function)
        address payable to,
        Over[] calldata,
        function(uint256) external returns (bool) f
    ) external pure {
        require(to == to && f.address == f.address);
    }

    function //= test/Over.t.sol:Over test_onTwoLines()
    test_onTwoLines()
        public pure {}

    // The optimizer keeps one body of these.
    function test_equalA() public view { //= test/Over.t.sol:Over test_equalA()
        require(testGetter == 3, "three");
    }

    function test_equalB() public view { //= test/Over.t.sol:Over test_equalB()
        require(testGetter == 3, "three");
    }

    function test_equalC() public view { //= test/Over.t.sol:Over test_equalC()
        require(testGetter == 3, "three");
    }

    function testa() public pure {} //= test/Over.t.sol:Over testa()
    function test() public pure {} //= test/Over.t.sol:Over test()
    function invariantHolds() public pure {} //= test/Over.t.sol:Over invariantHolds()
    function statefulFuzzHolds() public pure {} //= test/Over.t.sol:Over statefulFuzzHolds()
    function tableOf(uint256) public pure {} //= test/Over.t.sol:Over tableOf(uint256)

    function tes_t() public pure {}
    function Test_upper() public pure {}
    function test_internal() internal pure {}
    function test_private() private pure {}
    function check_no() public pure {}
}

contract NeedsArguments {
    constructor(uint256) {} //= test/Over.t.sol:NeedsArguments constructor()
    function test_isNotRun() public pure {}
}

interface Unimplemented {
    function test_isNotRun() external;
}

abstract contract NotWhole {
    function test_isNotRun() public pure {}
}

contract OnlySetUp {
    function setUp() public {}
}
