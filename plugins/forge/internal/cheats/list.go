package cheats

import "strings"

// reach is a way in which a cheat code reaches beyond a test's sources.
type reach struct {
	// verb completes "it ...".
	verb       string
	signatures string
}

// reachesBeyond are the cheat codes that reach beyond, with all overloads. They come from
// Foundry's published list (crates/cheatcodes/assets/cheatcodes.json of August 2026),
// which covers 1.5.1 to 1.7.1; the descriptions there say which ones read. Writing
// counts as reading: another test may look at what a test leaves in a file.
func reachesBeyond() []reach {
	return []reach{
		{verb: "reads what was compiled of other sources", signatures: `
			deployCode(string) deployCode(string,bytes) deployCode(string,bytes,bytes32) deployCode(string,bytes,uint256)
			deployCode(string,bytes,uint256,bytes32) deployCode(string,bytes32) deployCode(string,uint256)
			deployCode(string,uint256,bytes32) getArtifactPathByCode(bytes) getArtifactPathByDeployedCode(bytes)
			getCode(string) getDeployedCode(string) getSelectors(string) getStateDiff() getStateDiffJson()
			getStorageSlots(address,string) parseJsonType(string,string) parseJsonType(string,string,string)
			parseJsonTypeArray(string,string,string) parseTomlType(string,string) parseTomlType(string,string,string)
			parseTomlTypeArray(string,string,string) serializeJsonType(string,bytes)
			serializeJsonType(string,string,string,bytes)`},
		{verb: "reads or writes files", signatures: `
			closeFile(string) copyFile(string,string) createDir(string,bool) dumpState(string)
			eip712HashStruct(string,bytes) eip712HashStruct(string,string,bytes) eip712HashType(string)
			eip712HashType(string,string) exists(string) fsMetadata(string) getBroadcast(string,uint64,uint8)
			getBroadcasts(string,uint64) getBroadcasts(string,uint64,uint8) getDeployment(string)
			getDeployment(string,uint64) getDeployments(string,uint64) isDir(string) isFile(string) loadAllocs(string)
			readDir(string) readDir(string,uint64) readDir(string,uint64,bool) readFile(string) readFileBinary(string)
			readLine(string) readLink(string) removeDir(string,bool) removeFile(string) writeFile(string,string)
			writeFileBinary(string,bytes) writeJson(string,string) writeJson(string,string,string)
			writeLine(string,string) writeToml(string,string) writeToml(string,string,string)`},
		{verb: "reads the environment", signatures: `
			envAddress(string) envAddress(string,string) envBool(string) envBool(string,string) envBytes(string)
			envBytes(string,string) envBytes32(string) envBytes32(string,string) envExists(string) envInt(string)
			envInt(string,string) envOr(string,address) envOr(string,bool) envOr(string,bytes) envOr(string,bytes32)
			envOr(string,int256) envOr(string,string) envOr(string,string,address[]) envOr(string,string,bool[])
			envOr(string,string,bytes32[]) envOr(string,string,bytes[]) envOr(string,string,int256[])
			envOr(string,string,string[]) envOr(string,string,uint256[]) envOr(string,uint256) envString(string)
			envString(string,string) envUint(string) envUint(string,string) resolveEnv(string) setEnv(string,string)`},
		{verb: "asks a chain", signatures: `
			createFork(string) createFork(string,bytes32) createFork(string,uint256) createSelectFork(string)
			createSelectFork(string,bytes32) createSelectFork(string,uint256)
			eth_getLogs(uint256,uint256,address,bytes32[]) getRawBlockHeader(uint256) rollFork(bytes32) rollFork(uint256)
			rollFork(uint256,bytes32) rollFork(uint256,uint256) rpc(string,string) rpc(string,string,string)
			rpcJson(string,string) rpcJson(string,string,string) rpcUrl(string) rpcUrlStructs() rpcUrls()
			selectFork(uint256) transact(bytes32) transact(uint256,bytes32)`},
		{verb: "starts programs", signatures: `
			ffi(string[]) ffiBytes(string[]) ffiString(string[]) ffiUint(string[]) tryFfi(string[])`},
		{verb: "asks the user", signatures: `
			prompt(string) promptAddress(string) promptSecret(string) promptSecretUint(string) promptUint(string)`},
	}
}

// harmlessNames are names whose cheat codes see only what the test itself made, or
// forge's settings, by the same list.
func harmlessNames() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(harmless) {
		names[name] = true
	}
	return names
}

const harmless = `
	_expectCheatcodeRevert accessList accesses activeFork addr allowCheatcodes assertApproxEqAbs
	assertApproxEqAbsDecimal assertApproxEqRel assertApproxEqRelDecimal assertEq assertEqDecimal assertFalse
	assertGe assertGeDecimal assertGt assertGtDecimal assertLe assertLeDecimal assertLt assertLtDecimal
	assertNotEq assertNotEqDecimal assertTrue assume assumeImplicitApproval assumeNoRevert attachBlob
	attachDelegation blobBaseFee blobhashes bound breakpoint broadcast broadcastRawTransaction chainId
	clearMockedCalls cloneAccount coinbase computeCreate2Address computeCreateAddress contains cool coolSlot
	copyStorage createEd25519Key createWallet currentFilePath deal deleteSnapshot deleteSnapshots
	deleteStateSnapshot deleteStateSnapshots deriveKey difficulty ecAddAffine ecAddProjective ecMulAffine
	ecMulProjective eip712HashTypedData ensNamehash etch executeTransaction expectCall expectCallMinGas
	expectCreate expectCreate2 expectDelegateCall expectEmit expectEmitAnonymous expectKeychainAdminVerified
	expectKeychainVerified expectLogoURIUpdated expectPartialRevert expectRevert expectSafeMemory
	expectSafeMemoryCall expectTip20LogoURIUpdated fee foundryVersionAtLeast foundryVersionCmp fromRlp
	getBlobBaseFee getBlobhashes getBlockNumber getBlockTimestamp getChain getChainId getEvmVersion
	getFoundryVersion getLabel getMappingKeyAndParentOf getMappingLength getMappingSlotAt getNonce getRecordedLogs
	getRecordedLogsJson getStorageAccesses getWallets indexOf interceptInitcode isContext isImplicitlyApproved
	isIsolateMode isPersistent keyExists keyExistsJson keyExistsToml label lastCallGas lastFrameGas load
	makePersistent mockCall mockCallRevert mockCalls mockFunction noAccessList parseAddress parseBool parseBytes
	parseBytes32 parseInt parseJson parseJsonAddress parseJsonAddressArray parseJsonArrayLength parseJsonBool
	parseJsonBoolArray parseJsonBytes parseJsonBytes32 parseJsonBytes32Array parseJsonBytesArray parseJsonInt
	parseJsonIntArray parseJsonKeys parseJsonString parseJsonStringArray parseJsonUint parseJsonUintArray
	parseToml parseTomlAddress parseTomlAddressArray parseTomlBool parseTomlBoolArray parseTomlBytes
	parseTomlBytes32 parseTomlBytes32Array parseTomlBytesArray parseTomlInt parseTomlIntArray parseTomlKeys
	parseTomlString parseTomlStringArray parseTomlUint parseTomlUintArray parseUint pauseGasMetering pauseTracing
	prank prevrandao projectRoot publicKeyEd25519 publicKeyP256 randomAddress randomBool randomBytes randomBytes4
	randomBytes8 randomInt randomUint readCallers record recordLogs registerMappingSstoreHook registerSloadHook
	registerSstoreHook rememberKey rememberKeys replace resetGasMetering resetNonce resumeGasMetering
	resumeTracing revertTo revertToAndDelete revertToState revertToStateAndDelete revokePersistent roll
	serializeAddress serializeBool serializeBytes serializeBytes32 serializeInt serializeJson serializeString
	serializeUint serializeUintToHex setArbitraryStorage setBlockhash setEvmVersion setLogoURI setNonce
	setNonceUnsafe setSeed setTip20LogoURI shuffle sign signAndAttachDelegation signCompact signDelegation
	signEd25519 signKeychain signKeychainAdmin signP256 signWithNonceUnsafe skip sleep snapshot
	snapshotGasLastCall snapshotGasLastFrame snapshotState snapshotValue sort split startBroadcast
	startDebugTraceRecording startMappingRecording startPrank startSnapshotGas startStateDiffRecording
	stopAndReturnDebugTraceRecording stopAndReturnStateDiff stopBroadcast stopExpectSafeMemory
	stopMappingRecording stopPrank stopRecord stopSnapshotGas store toBase64 toBase64URL toLowercase toRlp
	toString toUppercase trim txGasPrice unixTime verifyEd25519 warmSlot warp`
