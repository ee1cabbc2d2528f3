// Recorded answers of real TRON nodes, each with its published source. None of them is made up.

import type { Contract } from '../../../src/chain/tron/transaction.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

interface CreatedByNode {
  readonly what: string;
  readonly id: string;
  readonly raw: string;
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  readonly expiration: bigint;
  readonly timestamp: bigint;
  readonly feeLimit: bigint;
  readonly contract: Contract;
}

/**
 * Built by nodes of the Nile test network: the response examples of `/wallet/createtransaction` and
 * `/wallet/triggersmartcontract` in https://tronprotocol.github.io/documentation-en/api/http/
 */
export const CREATED_BY_NODE: readonly CreatedByNode[] = [
  {
    what: 'a payment of one TRX',
    id: '6303c7639f591407ef9f34a7ac8c9c9a21151f5a6af21924502515734fc267ab',
    raw: '0a0229272208939ece39d08a7abe40d8c483c1dd335a67080112630a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412320a1541dd791d6b49e190062d650e6a23c575510d35f2f912154192ad11c1bf16b3b14b0bd6b5c7e2db73a0b5e83a18c0843d70d68780c1dd33',
    ...{ refBlockBytes: '2927', refBlockHash: '939ece39d08a7abe' },
    ...{ expiration: 1_777_447_527_000n, timestamp: 1_777_447_470_038n, feeLimit: 0n },
    contract: {
      type: 'TRANSFER',
      owner: hex('41dd791d6b49e190062d650e6a23c575510d35f2f9'),
      to: hex('4192ad11c1bf16b3b14b0bd6b5c7e2db73a0b5e83a'),
      amount: 1_000_000n,
    },
  },
  {
    what: "a token's transfer with a fee limit",
    id: '8c621a0dc9bd4d405b20d0a43143955b9f546f98bbfde1aec295a65b0f925629',
    raw: '0a0228c32208ce6d34028278856940f89cf1c0dd335aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412740a1541dd791d6b49e190062d650e6a23c575510d35f2f9121541eca9bc828a3005b9a3b909f2cc5c2a54794de05f2244a9059cbb000000000000000000000000088a2bfcb1c7271029fd69a66859d5556089588400000000000000000000000000000000000000000000000000000000000000647089d0edc0dd33900180c2d72f',
    ...{ refBlockBytes: '28c3', refBlockHash: 'ce6d340282788569' },
    ...{ expiration: 1_777_447_227_000n, timestamp: 1_777_447_168_009n, feeLimit: 100_000_000n },
    contract: {
      type: 'TRIGGER',
      owner: hex('41dd791d6b49e190062d650e6a23c575510d35f2f9'),
      contract: hex('41eca9bc828a3005b9a3b909f2cc5c2a54794de05f'),
      data: hex(
        'a9059cbb000000000000000000000000088a2bfcb1c7271029fd69a66859d555608958840000000000000000000000000000000000000000000000000000000000000064',
      ),
    },
  },
];

/**
 * Payments on the main network, as TronGrid answered them: `libs/coin-modules/coin-tron/src/network/types.fixture.ts`
 * in https://github.com/LedgerHQ/ledger-live. `netUsage` is the bandwidth that each took; zero where it made an
 * account, for which 1.1 TRX were charged.
 */
export const MAINNET_TRANSFERS = [
  {
    id: '47086db397eac45d2fe7dacedcb6f77267d6895dce645210e495e64f8a2a7910',
    raw: '0a02fdf622084cd898aed8ce5d1440f0d2ccf1fd315a65080112610a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412300a15419b3281a60ab7a44f351ef2896c653f134972ad2212154105cc125604448afeb6867eb688efb7e80411d57a1805709c91c9f1fd31',
    signature:
      'c1c0b1ad18f56248ebc6820c611cd65683cef6b5deed8002246cc00df7e79f9f73d48c35b8c2e41694ef23c8020ab8c578c0aa57b7e079683f322e45c88b0e0700',
    owner: '419b3281a60ab7a44f351ef2896c653f134972ad22',
    to: '4105cc125604448afeb6867eb688efb7e80411d57a',
    ...{ amount: 5n, netUsage: 265 },
  },
  {
    id: '37c2bfbd2324e68588745ff34de0cc64c9ce6704e52ebee31410617e1c99e38d',
    raw: '0a02fdf42208af4cc71c5b5c08f04080a4ccf1fd315a65080112610a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412300a15412d499c019736e436558265952866ae36353b6d0412154105cc125604448afeb6867eb688efb7e80411d57a18017094e9c8f1fd31',
    signature:
      '128c28c7f1229e532c93d6b8cf7697f35604e00f3f57c590df48f73df4ae176521963f224457a7f176752fa1f6832f95760799050c9b8aa489f1e51db14d53ed01',
    owner: '412d499c019736e436558265952866ae36353b6d04',
    to: '4105cc125604448afeb6867eb688efb7e80411d57a',
    ...{ amount: 1n, netUsage: 265 },
  },
  {
    id: 'b0b68ea41e7b46f06196ea0ff47837afe821f985eb966a4915eb3809ac893461',
    raw: '0a02fddc22083b99310ce713c98f4080c1ecf1fd315a68080112640a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412330a154105cc125604448afeb6867eb688efb7e80411d57a121541f03c5fb459d4f746ff01692b940c5a8a01480db11880c2d72f70beaec4f1fd31',
    signature:
      'a3cccbc84cffff009eaddb091228dba7ef438e8b3bb20db99589425a0da036a52ef0a1d29b99f8f73a48472cdaf88bfcf25d7d00ae4988b89804dc7173482f7501',
    owner: '4105cc125604448afeb6867eb688efb7e80411d57a',
    to: '41f03c5fb459d4f746ff01692b940c5a8a01480db1',
    ...{ amount: 100000000n, netUsage: 0 },
  },
  {
    id: 'adc3f1c4cf23d4adfcf25d3cdae5378d86a209b7b9d49d69db47cae7f838c5f0',
    raw: '0a0229382208d1bf54ec9e8dec0140a0d7ffcef9315a67080112630a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412320a154105cc125604448afeb6867eb688efb7e80411d57a121541a2ff80f95ce3740235dc46a4dffe00d9f9b91f371880897a7085b5d7cef931',
    signature:
      '74f4f6c98b412ee5b0689e34c7434c5f55ac0a228da5abfc6fe03cae21c273aa27fba3aa70eb081604b4438d9615bd30f426705299b1c42f73b4a381dbb55b0201',
    owner: '4105cc125604448afeb6867eb688efb7e80411d57a',
    to: '41a2ff80f95ce3740235dc46a4dffe00d9f9b91f37',
    ...{ amount: 2000000n, netUsage: 267 },
  },
];

/**
 * Answers of nodes of the Nile test network: the response examples of the pages named after each path in
 * https://tronprotocol.github.io/documentation-en/api/http/, cut where the pages cut them.
 */
export const ANSWERS = {
  /** getnowblock */
  nowBlock: {
    blockID: '0000000003fe266bf6b6d392f654dc2e5011601546ed04623d9fcc4e9d439a25',
    block_header: {
      raw_data: {
        number: 66987627,
        txTrieRoot: 'f8156964cc3e5793a368f938a18ea45c02bd48fe3a412f7091ce8d9ef56df174',
        witness_address: '41e7860196ad5b5718c1d6326babab039b70b8c1cd',
        parentHash: '0000000003fe266a65d5194c947f6f7a059d4646c8e9a5293226bc7fdcfc775e',
        version: 34,
        timestamp: 1777445307000,
      },
    },
  },
  /** getblock */
  block: {
    blockID: '0000000003fe262d52bfa4b2814f816fd2e57af5b98a33d60d8630a03a908e0e',
    block_header: {
      raw_data: {
        number: 66987565,
        txTrieRoot: 'faf8fe3858339ead25cc892461c82a59b84dca4a51c45b026676bf3f45a352a2',
        witness_address: '41b2f713d57dbcec679d93a8849fa0cd0e4db594ba',
        parentHash: '0000000003fe262c85cd6b02033f4c3e5c1efa35de256a17bd906dc61fb1aeed',
        version: 34,
        timestamp: 1777445121000,
      },
    },
  },
  /** gettransactioninfobyblocknum */
  infosOfBlock: [
    {
      id: 'ff44a2823a870c12f12a4ca6e7647650356bc2bb5e02c5855312cf2db4c950c1',
      fee: 267000,
      blockNumber: 66987565,
      blockTimeStamp: 1777445121000,
      contractResult: [''],
      receipt: { net_fee: 267000 },
    },
    {
      id: '0419405287081aa44f4d78725e6fabac8d14e71abf9e28825ad4f4e61a5bccb7',
      fee: 267000,
      blockNumber: 66987565,
      blockTimeStamp: 1777445121000,
      contractResult: [''],
      receipt: { net_fee: 267000 },
    },
  ],
  /** gettransactioninfobyid */
  infoOfCall: {
    id: '01b4cde4197b9d1a1ff09ef5d2b1d939d3ec2401b3f002ebd0802c0f30a6e4ca',
    fee: 5254500,
    blockNumber: 66985120,
    blockTimeStamp: 1777437762000,
    contractResult: [''],
    contract_address: '419ff8fc48fb114ccd5bbdc24a86f0c73082f08825',
    receipt: { energy_fee: 4458500, energy_usage_total: 44585, net_fee: 796000, result: 'SUCCESS' },
    log: [
      {
        address: '9ff8fc48fb114ccd5bbdc24a86f0c73082f08825',
        topics: [
          'c66625d03b4a832d8245f0df593e32e0fbbbad96d4aa45440aa1535b80983083',
          '000000000000000000000000dd791d6b49e190062d650e6a23c575510d35f2f9',
          '0000000000000000000000000000000000000000000000000000000000000007',
        ],
        data: '0000000000000000000000000000000000000000000000000000000000000007',
      },
    ],
    internal_transactions: [
      {
        hash: '61318c1e41c5fd387f1e4e4e8ec1fc98f295d3ef002bab1b33dd1cba2f93cb75',
        caller_address: '419ff8fc48fb114ccd5bbdc24a86f0c73082f08825',
        transferTo_address: '419ff8fc48fb114ccd5bbdc24a86f0c73082f08825',
        callValueInfo: [{}],
        note: '63616c6c',
      },
    ],
  },
  /** getaccount */
  account: {
    address: '41dd791d6b49e190062d650e6a23c575510d35f2f9',
    balance: 1793227200,
    create_time: 1776933207000,
    latest_opration_time: 1777444809000,
    free_net_usage: 441,
    frozenV2: [{}, { type: 'ENERGY' }, { type: 'TRON_POWER' }],
    assetV2: [{ key: '1005416', value: 100000000 }],
  },
  /** triggerconstantcontract, of balanceOf(address) */
  constantCall: {
    result: { result: true },
    energy_used: 935,
    constant_result: ['0000000000000000000000000000000000000000000000000000000040cfcc00'],
    transaction: {
      ret: [{}],
      visible: false,
      txID: 'cff6488e738ce77f7325572fe0aa2470f87dbf1c95eeeb2c25feec59d5afa35c',
    },
  },
  /** broadcasttransaction, whose answers `broadcasthex` shares */
  duplicate: { result: false, code: 'DUP_TRANSACTION_ERROR', message: 'Dup transaction.', txid: '...' },
  signature: { result: false, code: 'SIGERROR', message: 'validateSignature error', txid: '...' },
  tapos: { result: false, code: 'TAPOS_ERROR', message: 'Tapos failed', txid: '...' },
  /** triggersmartcontract, of a request over a node's limit */
  rateLimited: { Error: 'class java.lang.IllegalAccessException : lack of computing resources' },
};
