throw new Error('plain throw');
